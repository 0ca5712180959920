{
  description = "Waypost: self-hosted campaign messaging";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-26.05";

  outputs =
    { self, nixpkgs }:
    let
      # The systems for which npm has packages of PostgreSQL.
      forAllSystems =
        outputsFor:
        nixpkgs.lib.genAttrs [ "x86_64-linux" "aarch64-linux" ] (
          system: outputsFor nixpkgs.legacyPackages.${system}
        );
    in
    {
      packages = forAllSystems (pkgs: rec {
        waypost = pkgs.callPackage ./packaging/nix/package.nix { };
        default = waypost;
      });

      devShells = forAllSystems (pkgs: {
        default = pkgs.mkShell { packages = [ pkgs.nodejs_24 ]; };
      });

      nixosModules.default = import ./packaging/nix/module.nix self;

      checks = forAllSystems (
        pkgs:
        let
          inherit (self.packages.${pkgs.stdenv.hostPlatform.system}) waypost;
        in
        {
          # The demo on an embedded database: starting, importing, sending, reporting.
          demo = pkgs.runCommand "waypost-demo" { } ''
            export HOME=$TMPDIR
            ${waypost}/bin/waypost demo | tee $out
          '';

          module = pkgs.testers.runNixOSTest {
            name = "waypost-module";
            nodes.machine = {
              imports = [ self.nixosModules.default ];
              services.waypost.enable = true;
            };
            testScript = ''
              machine.wait_for_unit("waypost.service")
              machine.wait_for_open_port(8080)
              machine.succeed("curl --fail http://127.0.0.1:8080/health/ready")
              machine.succeed("WAYPOST_DATA_DIR=/var/lib/waypost waypost workspace create --name 'Example Cafes'")
              machine.systemctl("restart waypost.service")
              machine.wait_for_open_port(8080)
              machine.succeed("WAYPOST_DATA_DIR=/var/lib/waypost waypost workspace list | grep 'Example Cafes'")
            '';
          };
        }
      );
    };
}
