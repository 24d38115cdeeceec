import { createHash } from 'node:crypto';
import { PASSWORD_CHARACTERS_MIN } from './password-rules';

const STYLE = `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 28rem; margin: 4rem auto; padding: 0 1rem }
label { display: block; margin-top: 1rem; font-weight: 600 }
input, select { font: inherit; width: 100%; padding: 0.5rem; box-sizing: border-box }
button { font: inherit; margin-top: 1.5rem; padding: 0.5rem 1.5rem }
.error { border-left: 4px solid #c22; padding-left: 0.75rem }
.hint { margin: 0.25rem 0 0 }
.late { animation: late 0.5s }
@keyframes late { from, to { visibility: hidden } }
`;

/**
 * Returns a content security policy that forbids scripts, frames and foreign addresses, because the
 * page's path contains a token. `formTarget` is the URL of another site to which the form of the
 * page is posted.
 */
const pagePolicy = (formTarget?: string): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    `form-action ${formTarget === undefined ? "'self'" : new URL(formTarget).origin}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/**
 * Returns the headers of a page. `formTarget` is the URL of another site to which a form of the
 * page is posted.
 */
export const pageHeaders = (formTarget?: string): Readonly<Record<string, string>> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': pagePolicy(formTarget),
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
});

/** Whether a browser sent the request to open a page. */
export const wantsPage = ({
  headers,
}: {
  readonly headers: { readonly accept?: string | undefined };
}): boolean => (headers.accept ?? '').includes('text/html');

/** Escapes text for HTML content and for quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (sign) => `&#${String(sign.charCodeAt(0))};`);

/** Returns a complete HTML page. `head` is additional HTML for its `<head>`. */
export const page = (title: string, content: string, head = ''): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} – Tollgate</title>
<style>${STYLE}</style>${head}
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${content}
</main>
</body>
</html>
`;

const errorOf = (error: string | null): string =>
  error === null ? '' : `<p class="error" role="alert">${escapeHtml(error)}</p>\n`;

const newPassword = (): string => `<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${String(PASSWORD_CHARACTERS_MIN)}" required aria-describedby="rule">
<p class="hint" id="rule">At least ${String(PASSWORD_CHARACTERS_MIN)} characters; a few random words are good.</p>`;

const form = (error: string | null, fields: string, button: string): string =>
  `${errorOf(error)}<form method="post">
${fields}
<button type="submit">${button}</button>
</form>`;

export interface InvitePage {
  readonly email: string;
  readonly organisation: string;
  /** True when the user already has a password and must enter it. */
  readonly isKnown: boolean;
  readonly error: string | null;
}

export function invitePage({ email, organisation, isKnown, error }: InvitePage): string {
  const fields = isKnown
    ? `<label for="password">Your password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>`
    : `<label for="first_name">First name</label>
<input id="first_name" name="first_name" autocomplete="given-name" maxlength="255">
<label for="last_name">Last name</label>
<input id="last_name" name="last_name" autocomplete="family-name" maxlength="255">
${newPassword()}`;
  const words = `<p>You join as <strong>${escapeHtml(email)}</strong>.</p>\n`;
  return page(`Join ${organisation}`, words + form(error, fields, 'Accept the invitation'));
}

export const resetPage = (error: string | null): string =>
  page('Set a new password', form(error, newPassword(), 'Set the password'));

export const messagePage = (title: string, text: string): string => page(title, `<p>${escapeHtml(text)}</p>`);

export interface Posting {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Returns a page whose button posts `fields` to another site. */
export function postingPage(title: string, { url, fields, text }: Posting): string {
  return page(
    title,
    `<p>${escapeHtml(text)}</p>
<form method="post" action="${escapeHtml(url)}">
${hiddenFields(fields)}
<button type="submit">Continue</button>
</form>`,
  );
}

export const hiddenField = (name: string, value: string): string =>
  `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`;

export const hiddenFields = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([name, value]) => hiddenField(name, value))
    .join('\n');
