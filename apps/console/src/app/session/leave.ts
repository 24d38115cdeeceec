const DRAFTS = 'tollgate:';
const LAST_WORKSPACE = 'tollgate:workspace';

/** Forgets what this tab keeps of a session: drafts of forms, and the workspace that was open last. */
export function forgetSession(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(DRAFTS)) sessionStorage.removeItem(key);
    localStorage.removeItem(LAST_WORKSPACE);
  } catch {
    // A browser that keeps nothing has nothing to forget.
  }
}

/** Ways out of the loaded page. An object, so that specs replace them. */
export const leave = {
  /** Goes to a URL. Throws for one that is not of the web. */
  to(url: string): void {
    const { protocol, href } = new URL(url, document.baseURI);
    if (protocol !== 'https:' && protocol !== 'http:')
      throw new Error(`${protocol} is no address of a page.`);
    location.assign(href);
  },
  /** Posts a form to a URL, which the content security policy allows on `/login/sso` only. */
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
  /** Opens a path of the console in a new window. False when the browser opens none. */
  window(path: string): boolean {
    return window.open(new URL(path, document.baseURI), '_blank', 'popup,width=520,height=720') !== null;
  },
};

/** Loads the console again at a path without its first slash, so that nothing of the session stays in memory or in the tab. */
export function loadAnew(path = ''): void {
  forgetSession();
  leave.to(new URL(path, document.baseURI).href);
}
