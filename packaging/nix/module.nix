# Waypost as a NixOS service: the unit of packaging/systemd with its sandbox, and the settings of `waypost
# serve`.
self:
{
  config,
  lib,
  pkgs,
  ...
}:
let
  cfg = config.services.waypost;
  written = value: if lib.isBool value then lib.boolToString value else toString value;
  secrets = [
    "AWS_SECRET_ACCESS_KEY"
    "WAYPOST_OPERATOR_KEY"
    "WAYPOST_SECRET_KEY"
  ];
in
{
  options.services.waypost = {
    enable = lib.mkEnableOption "Waypost, a campaign messaging platform";

    package = lib.mkOption {
      type = lib.types.package;
      default = self.packages.${pkgs.stdenv.hostPlatform.system}.waypost;
      defaultText = lib.literalMD "`waypost` of this flake";
      description = "The package to run.";
    };

    settings = lib.mkOption {
      type = lib.types.submodule {
        freeformType =
          with lib.types;
          attrsOf (
            nullOr (oneOf [
              bool
              int
              str
            ])
          );
        options.PORT = lib.mkOption {
          type = lib.types.port;
          default = 8080;
          description = "The port to listen on.";
        };
        options.WAYPOST_HOST = lib.mkOption {
          type = lib.types.str;
          default = "127.0.0.1";
          description = "The address to listen on.";
        };
      };
      default = { };
      example = {
        WAYPOST_PRODUCTION_URL = "https://api.example.com";
        WAYPOST_SANDBOX_URL = "https://sandbox.example.com";
        WAYPOST_MEDIA_URL = "https://media.example.com";
        WAYPOST_TRUSTED_PROXIES = "127.0.0.1";
      };
      description = ''
        The settings of docs/operating.md. Everyone on the machine can read them: put keys and passwords into
        `services.waypost.environmentFile`.
      '';
    };

    environmentFile = lib.mkOption {
      type = lib.types.nullOr lib.types.path;
      default = null;
      example = "/run/secrets/waypost.env";
      description = "A file of `KEY=VALUE` lines with secret settings, such as WAYPOST_SECRET_KEY or DATABASE_URL.";
    };

    openFirewall = lib.mkOption {
      type = lib.types.bool;
      default = false;
      description = "Whether to open the port in the firewall.";
    };
  };

  config = lib.mkIf cfg.enable {
    assertions = [
      {
        assertion = lib.all (name: (cfg.settings.${name} or null) == null) secrets;
        message =
          "Everyone can read services.waypost.settings: put ${lib.concatStringsSep ", " secrets} "
          + "into services.waypost.environmentFile.";
      }
    ];

    environment.systemPackages = [ cfg.package ];
    systemd.packages = [ cfg.package ];
    systemd.services.waypost = {
      wantedBy = [ "multi-user.target" ];
      after = lib.optional config.services.postgresql.enable "postgresql.service";
      environment = lib.mapAttrs (_: written) (lib.filterAttrs (_: value: value != null) cfg.settings);
      serviceConfig = lib.mkIf (cfg.environmentFile != null) { EnvironmentFile = cfg.environmentFile; };
    };

    users.users.waypost = {
      isSystemUser = true;
      group = "waypost";
      home = "/var/lib/waypost";
    };
    users.groups.waypost = { };

    networking.firewall.allowedTCPPorts = lib.mkIf cfg.openFirewall [ cfg.settings.PORT ];
  };
}
