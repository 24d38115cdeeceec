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
 * Content security policy without scripts, frames and foreign addresses, because the page's path contains a token. `formTarget`: the
 * URL to which its form is posted, when it is not one of ours.
 */
const pagePolicy = (formTarget?: string): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    `form-action ${formTarget === undefined ? "'self'" : new URL(formTarget).origin}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Headers of a page. `formTarget`: URL outside of ours to which a form of the page is posted. */
export const pageHeaders = (formTarget?: string): Readonly<Record<string, string>> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': pagePolicy(formTarget),
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
});

/** Whether a request is of a browser that opens a page. */
export const wantsPage = ({
  headers,
}: {
  readonly headers: { readonly accept?: string | undefined };
}): boolean => (headers.accept ?? '').includes('text/html');

/** Text as HTML shows it, in content and in quoted attributes. */
export const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (sign) => `&#${String(sign.charCodeAt(0))};`);

/** A whole page. `head` is more HTML for its head. */
export const page = (title: string, content: string, head = ''): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} – Tollgate</title>
<style>${STYLE}</style>${head}
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${content}
</main>
</body>
</html>
`;

const errorOf = (error: string | null): string =>
  error === null ? '' : `<p class="error" role="alert">${escaped(error)}</p>\n`;

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
  const words = `<p>You join as <strong>${escaped(email)}</strong>.</p>\n`;
  return page(`Join ${organisation}`, words + form(error, fields, 'Accept the invitation'));
}

export const resetPage = (error: string | null): string =>
  page('Set a new password', form(error, newPassword(), 'Set the password'));

export const messagePage = (title: string, text: string): string => page(title, `<p>${escaped(text)}</p>`);

export interface Posting {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly text: string;
}

/** A page that brings `fields` to another site when its button is used. */
export function postingPage(title: string, { url, fields, text }: Posting): string {
  return page(
    title,
    `<p>${escaped(text)}</p>
<form method="post" action="${escaped(url)}">
${hiddenFields(fields)}
<button type="submit">Continue</button>
</form>`,
  );
}

export const hiddenField = (name: string, value: string): string =>
  `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`;

export const hiddenFields = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([name, value]) => hiddenField(name, value))
    .join('\n');
