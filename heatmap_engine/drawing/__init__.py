"""What pictures and pages share: colours, numbers, and the board in JavaScript."""
