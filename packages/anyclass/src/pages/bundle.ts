/**
 * Bundles a page's script or style, with everything that it imports, into one text. Needs esbuild, which an
 * installed package does not have; its pages are bundled when the package is packed.
 *
 * @example
 * await bundle('page/main.ts', { define: { VERSION: '"1"' } })
 */
export async function bundle(
  file: string,
  options: { readonly define?: Record<string, string>; readonly external?: string[] } = {},
): Promise<string> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [file],
    // Otherwise the folder in which esbuild was first loaded, which may be gone.
    absWorkingDir: process.cwd(),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2022', 'chrome111', 'firefox115', 'safari16.4'],
    conditions: ['@anyclass/source'],
    charset: 'utf8',
    write: false,
    ...options,
  });
  return outputFiles[0]!.text.trim();
}
