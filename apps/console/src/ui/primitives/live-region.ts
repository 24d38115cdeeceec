let region: HTMLElement | null = null;

/** Announces a short text to screen readers, such as the result of a copy. */
export function announce(text: string): void {
  if (region === null || !region.isConnected) {
    region = document.createElement('div');
    region.className = 'visually-hidden';
    region.setAttribute('role', 'status');
    region.setAttribute('aria-live', 'polite');
    document.body.append(region);
  }
  // Screen readers repeat an equal text only when the region was empty in between.
  region.textContent = '';
  const target = region;
  setTimeout(() => (target.textContent = text), 30);
}
