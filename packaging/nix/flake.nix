# `nix build ./packaging/nix`. Its syntax was checked (nix-instantiate --parse); nobody has built it yet.
{
  description = "Explains, predicts and tunes the caches of ZFS";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" ];
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
    in {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "arcwright";
          version = "0.1.0";
          src = ../..;
          cargoLock.lockFile = ../../Cargo.lock;
          buildAndTestSubdir = "crates/cli";
          buildNoDefaultFeatures = true;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            mkdir man
            $out/bin/arcwright generate man man
            installManPage man/*.1
            for shell in bash zsh fish; do
              $out/bin/arcwright generate completions $shell > arcwright.$shell
              installShellCompletion arcwright.$shell
            done
          '';
        };
      });
    };
}
