/** Whether keys belong to the focused control, such as a text field. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select, [role=textbox]')
  );
}
