/**
 * HTML or SVG that a function of the kit returned. The kit escapes everything that it is given; never pass other text.
 *
 * @example
 * <Html text={triageBars(work)} />
 */
export function Html({ text, class: name }: { readonly text: string; readonly class?: string }) {
  return <div class={name} dangerouslySetInnerHTML={{ __html: text }} />;
}
