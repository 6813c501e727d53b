#!/usr/bin/env bash
# A whole game in Debian's xboard, through polyglot, the engine against itself: it must end by the rules of chess.
# Needs the packages xboard, polyglot and xvfb. Of 5 seconds and 0.1 a move even 400 moves take less than two minutes.
set -euo pipefail
PATH="$PATH:/usr/games"
engine=${1:-$(command -v heatmap-engine-uci)}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HOME="$scratch" XDG_DATA_HOME="$scratch/data"

cd "$scratch"
timeout 170 xvfb-run -a xboard -fUCI -fcp "$engine" -sUCI -scp "$engine" \
    -mg 1 -tc 0:05 -inc 0.1 -sgf "$scratch/game.pgn" -xexit -autoCallFlag false -showThinking true

cat game.pgn
grep -Eq '^\[Result "(1-0|0-1|1/2-1/2)"\]' game.pgn
grep -Eiq 'mate|repetition|stalemate|material|50 move' game.pgn
if grep -Eiq 'illegal|forfeit|exited|abort|died' game.pgn; then
    echo "the game did not end by the rules of chess" >&2
    exit 1
fi
test -s "$XDG_DATA_HOME/heatmap-engine/default.deep.table"
