//! The first files of a new home directory.

/// Name and contents of each.
pub(in crate::engine::docker) const FILES: [(&str, &str); 6] = [
    (".bashrc", BASHRC),
    (".bash_profile", BASH_PROFILE),
    (".profile", PROFILE),
    (".zshrc", ZSHRC),
    (
        ".vimrc",
        "syntax on\nset ruler backspace=indent,eol,start\n",
    ),
    (".tmux.conf", TMUX),
];

/// Puts the PATH of the image or the user before the one of /etc/profile.
const BASH_PROFILE: &str = r#"# Settings of login shells in this session.
case ":$PATH:" in ":$WORKBAY_PATH:"*) ;; *) PATH=${WORKBAY_PATH:+$WORKBAY_PATH:}$PATH ;; esac
export PATH
[ -r ~/.bashrc ] && . ~/.bashrc
"#;

/// Shows the session's name at launch, because the host name is main1 in every session.
const BASHRC: &str = r#"# Settings of interactive shells in this session.
case $- in *i*) ;; *) return ;; esac
case ":$PATH:" in *:/opt/workbay/path:*) ;; *) PATH=$PATH:/opt/workbay/path ;; esac
HISTCONTROL=ignoreboth
HISTSIZE=10000
shopt -s histappend checkwinsize
PS1='\[\e[1;32m\]work@${BACKENDAI_SESSION_NAME:-main1}\[\e[0m\]:\[\e[1;34m\]\w\[\e[0m\]\$ '
if ls --color=auto -d . >/dev/null 2>&1; then alias ls='ls --color=auto'; fi
alias ll='ls -l'
"#;

/// For shells that are neither bash nor zsh; they expand variables in the prompt each time.
const PROFILE: &str = r#"# Settings of login shells in this session.
case ":$PATH:" in ":$WORKBAY_PATH:"*) ;; *) PATH=${WORKBAY_PATH:+$WORKBAY_PATH:}$PATH ;; esac
case ":$PATH:" in *:/opt/workbay/path:*) ;; *) PATH=$PATH:/opt/workbay/path ;; esac
export PATH
PS1='work@${BACKENDAI_SESSION_NAME:-main1}:$PWD$ '
"#;

const ZSHRC: &str = r#"# Settings of interactive shells in this session.
case ":$PATH:" in ":$WORKBAY_PATH:"*) ;; *) PATH=${WORKBAY_PATH:+$WORKBAY_PATH:}$PATH ;; esac
case ":$PATH:" in *:/opt/workbay/path:*) ;; *) PATH=$PATH:/opt/workbay/path ;; esac
setopt prompt_subst
PROMPT='%B%F{green}work@${BACKENDAI_SESSION_NAME:-main1}%f%b:%B%F{blue}%~%f%b$ '
HISTFILE=~/.zsh_history
HISTSIZE=10000
SAVEHIST=10000
"#;

const TMUX: &str = r"# Your own tmux settings for this session; they win over workbay's
# (/opt/workbay/etc/tmux.conf). Another prefix, for example:
# set -g prefix C-a
";

#[cfg(test)]
mod tests {
    use std::{fs, process::Command};

    use super::*;

    /// The PATH of a login shell in a new home directory.
    fn path_in(shell: &str, given: &str) -> String {
        let home = tempfile::tempdir().unwrap();
        for (name, contents) in FILES {
            fs::write(home.path().join(name), contents).unwrap();
        }
        let said = Command::new(shell)
            .args(["-l", "-c", "echo $PATH"])
            .env_clear()
            .envs([("HOME", home.path().to_str().unwrap()), ("PATH", given)])
            .env(crate::model::inside::SESSION_PATH, given)
            .output()
            .unwrap();
        String::from_utf8_lossy(&said.stdout).into_owned()
    }

    #[test]
    fn login_shells_keep_the_path_of_the_session() {
        let given = "/opt/mine/bin:/usr/local/bin:/usr/bin:/bin";
        for shell in ["bash", "sh"] {
            let path = path_in(shell, given);
            assert!(path.starts_with(given), "{shell}: {path}");
            // A nested login shell adds nothing.
            assert_eq!(path.matches("/opt/mine/bin").count(), 1, "{shell}: {path}");
        }
    }
}
