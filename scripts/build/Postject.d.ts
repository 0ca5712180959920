declare module "postject" {
  /** Writes the bytes into an ELF, Mach-O or PE file, as a resource of that name. */
  export const inject: (
    file: string,
    name: string,
    bytes: Buffer,
    options: { readonly sentinelFuse: string },
  ) => Promise<void>;
}
