#!/bin/sh
# Records the picture at the top of README.md: story.sh in a terminal of 44 columns, which
# can be read at 400 pixels, against the mock server. Needs terraform, asciinema, and npx for svg-term-cli.
#
# svg-term-cli is little maintained, and stays pinned: agg makes GIF files only, whose text is
# not sharp, termtosvg is archived, and vhs downloads a browser. termsvg and terminal-svg have
# not been tried. SVG_TERM can name another build of it.
#
# usage: make build && internal/tools/recording/record.sh
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp "$root/internal/tools/recording/main.tf" "$work/main.tf"
printf 'provider_installation {\n  dev_overrides { "terraform-analytics/analytics" = "%s" }\n  direct {}\n}\n' "$root" >"$work/dev.tfrc"
export TF_CLI_CONFIG_FILE="$work/dev.tfrc" STORY="$root/internal/tools/recording/story.sh"

cd "$work"
stty cols 44 rows 19 2>/dev/null || true
asciinema rec --quiet --overwrite --idle-time-limit 5 --title "terraform-provider-analytics" \
	--command "'$root/terraform-provider-analytics' mockserver -log requests.log -- bash '$STORY'" demo.cast
${SVG_TERM:-npx --yes svg-term-cli@2.1.1} --in demo.cast --out "$root/.github/images/demo.svg" --window --no-cursor --width 44 --height 19 --padding 8
