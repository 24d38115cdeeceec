import type { Holder } from './tabs';

const DRAFTS = 'tollgate:';
const HOLDER = 'tollgate:holder';
const LAST_WORKSPACE = 'tollgate:workspace';

const clearTab = (): void => {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(DRAFTS)) sessionStorage.removeItem(key);
};

/**
 * Deletes what this browser stores of a session: form drafts of this tab, and the last open
 * workspace.
 */
export function forgetSession(): void {
  try {
    clearTab();
    localStorage.removeItem(LAST_WORKSPACE);
  } catch {
    // Without storage there is nothing to delete.
  }
}

/**
 * Deletes the form drafts that another user, or the same user in another organisation, left in this
 * tab. Call it before any form reads its draft.
 */
export function forgetOthers({ user, organisation }: Exclude<Holder, null>): void {
  const name = `${user} ${organisation}`;
  try {
    if (sessionStorage.getItem(HOLDER) === name) return;
    clearTab();
    sessionStorage.setItem(HOLDER, name);
  } catch {
    // Without storage there are no drafts.
  }
}

/**
 * Navigations that leave the loaded page. They are methods of an object so that specs can replace
 * them.
 */
export const leave = {
  /** Navigates to a URL. Throws when it is not http or https. */
  to(url: string): void {
    const { protocol, href } = new URL(url, document.baseURI);
    if (protocol !== 'https:' && protocol !== 'http:')
      throw new Error(`${protocol} is no address of a page.`);
    location.assign(href);
  },
  /** Posts a form to a URL. The content security policy allows this on `/login/sso` only. */
  post(url: string, fields: Readonly<Record<string, string>>): void {
    const form = document.createElement('form');
    form.method = 'post';
    form.action = url;
    for (const [name, value] of Object.entries(fields)) {
      const input = document.createElement('input');
      Object.assign(input, { type: 'hidden', name, value });
      form.append(input);
    }
    document.body.append(form);
    form.submit();
  },
  /** Opens a path of the console in a new window. Returns false when the browser blocks it. */
  window(path: string): boolean {
    return window.open(new URL(path, document.baseURI), '_blank', 'popup,width=520,height=720') !== null;
  },
};

/**
 * Reloads the console at a path (without the leading slash), so that nothing of the session stays
 * in memory or in the tab.
 */
export function loadAnew(path = ''): void {
  forgetSession();
  leave.to(new URL(path, document.baseURI).href);
}
