declare module "postject" {
  /** Writes bytes into an ELF, Mach-O or PE file, as a resource with this name. */
  export const inject: (
    file: string,
    name: string,
    bytes: Buffer,
    options: { readonly sentinelFuse: string },
  ) => Promise<void>;
}
