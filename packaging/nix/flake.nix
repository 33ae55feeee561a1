# `nix build ./packaging/nix`. Nix 2.26 evaluates it, with a stub in place of nixpkgs; nobody has built it yet.
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
          # Tests start programs of the whole workspace; ./test runs them.
          doCheck = false;
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
