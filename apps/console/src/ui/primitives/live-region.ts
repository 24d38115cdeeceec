let region: HTMLElement | null = null;

/** Has screen readers say a short text that is not the focus's own, such as the result of a copy. */
export function announce(text: string): void {
  if (region === null || !region.isConnected) {
    region = document.createElement('div');
    region.className = 'visually-hidden';
    region.setAttribute('role', 'status');
    region.setAttribute('aria-live', 'polite');
    document.body.append(region);
  }
  // The same text twice is said only when the region was empty between.
  region.textContent = '';
  const target = region;
  setTimeout(() => (target.textContent = text), 30);
}
