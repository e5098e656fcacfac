/** Saves text as a file through the browser. */
export function saveText(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // Not immediately, because some browsers read it only after the click.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
