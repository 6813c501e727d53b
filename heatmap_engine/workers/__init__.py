"""Who does tasks: this process, or others beside it that may be killed."""
