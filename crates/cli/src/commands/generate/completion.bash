# Completions of arcwright for bash: the program itself says what fits.
#
# Bash splits words at = and :, which arguments such as --set system.memory=32GiB hold; they are put together
# again here, and what stands before the last of them is taken off what is offered.
_arcwright() {
    local IFS=$'\013' words=() glued= word prefix i
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((i > 1)) && [[ -n $glued || $word == [=:]* ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
        if [[ $word == *[=:] ]]; then glued=1; else glued=; fi
    done
    i=$((${#words[@]} - 1))
    if [[ ${words[i]} == *[=:]* ]]; then
        prefix=${words[i]%"${words[i]##*[=:]}"}
    else
        # Without the quote that it may begin with.
        words[i]=$2
    fi
    COMPREPLY=($(
        _CLAP_IFS="$IFS" _CLAP_COMPLETE_INDEX=$i _CLAP_COMPLETE_COMP_TYPE="$COMP_TYPE" \
            _CLAP_COMPLETE_SPACE=true COMPLETE=bash arcwright -- "${words[@]}" 2>/dev/null
    ))
    COMPREPLY=("${COMPREPLY[@]#"$prefix"}")
    # Nothing is left to complete.
    if [[ ${#COMPREPLY[@]} == 1 && -z ${COMPREPLY[0]} ]]; then COMPREPLY=(); fi
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=/:] ]]; then
        compopt -o nospace
    fi
}
if ((BASH_VERSINFO[0] > 4 || BASH_VERSINFO[0] == 4 && BASH_VERSINFO[1] >= 4)); then
    complete -o bashdefault -o nosort -F _arcwright arcwright
else
    complete -o bashdefault -F _arcwright arcwright
fi
