/**
 * Calls `take` with files that are dropped anywhere on the page, chosen, or pasted.
 *
 * @example
 * acceptPhotos(label, input, (files) => console.log(files.length));
 */
export function acceptPhotos(
  zone: HTMLElement,
  input: HTMLInputElement,
  take: (files: File[]) => void,
): void {
  input.addEventListener('change', () => {
    take([...(input.files ?? [])]);
    input.value = ''; // the same photo may be chosen again
  });
  document.addEventListener('paste', (event) => take([...(event.clipboardData?.files ?? [])]));
  document.addEventListener('dragover', (event) => {
    event.preventDefault();
    zone.classList.add('over');
  });
  document.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) zone.classList.remove('over');
  });
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    zone.classList.remove('over');
    take([...(event.dataTransfer?.files ?? [])]);
  });
}
