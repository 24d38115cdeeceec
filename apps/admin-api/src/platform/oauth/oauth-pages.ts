import { escapeHtml, page, hiddenField, hiddenFields, postingPage } from '../auth/account-pages';
import type { ClientKind } from './oauth-resources';

export const errorPage = (text: string): string =>
  page(
    'This cannot go on',
    `<p class="error" role="alert">${escapeHtml(text)}</p>\n<p>Go back and begin again.</p>`,
  );

/** Contents of the consent page. */
export interface ConsentView {
  readonly resumeState: string;
  readonly clientName: string;
  readonly clientKind: ClientKind;
  /**
   * Host of a client that is a document, as the only proof of its origin; null for other clients.
   */
  readonly clientHost: string | null;
  readonly redirect: { readonly host: string; readonly isLoopback: boolean };
  readonly resourceName: string;
  readonly scopes: readonly string[];
  readonly workspaces: readonly { readonly id: string; readonly name: string }[];
  /** Whether the grant may be for the whole organisation. */
  readonly wholeOrganisation: boolean;
  readonly email: string;
  readonly csrf: string;
  readonly error: string | null;
}

export const errorOf = (error: string | null): string =>
  error === null ? '' : `<p class="error" role="alert">${escapeHtml(error)}</p>`;

/** A sign-in form: the hidden fields that it submits, and the name of the client. */
export interface SignInForm {
  readonly fields: Readonly<Record<string, string>>;
  readonly clientName: string;
  /** HTML text of the page that replaces the text about the client's request. */
  readonly text?: string;
}

/**
 * Returns the page that asks for the user's address and password. Without a password the browser
 * goes to the identity provider of the address.
 */
export const signInPage = (form: SignInForm, error: string | null): string =>
  page(
    'Sign in',
    `<p>${form.text ?? `${escapeHtml(form.clientName)} asks for access to your account. Sign in to see what it asks for.`}</p>
${errorOf(error)}
<form method="post">
${hiddenFields(form.fields)}
${hiddenField('step', 'sign_in')}
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" aria-describedby="sso">
<p class="hint" id="sso">Leave it empty to sign in by your company's single sign-on.</p>
<button type="submit">Sign in</button>
</form>`,
  );

/** Returns the page that asks for the second factor after a correct password. */
export const factorPage = (form: SignInForm, challenge: string, error: string | null): string =>
  page(
    'Second factor',
    `${errorOf(error)}
<form method="post">
${hiddenFields(form.fields)}
${hiddenField('step', 'factor')}
${hiddenField('challenge', challenge)}
<label for="code">Code of your authenticator app, or a recovery code</label>
<input id="code" name="code" autocomplete="one-time-code" required>
<button type="submit">Sign in</button>
</form>`,
  );

/**
 * Returns the page that asks the user whether to allow the client's request. Its buttons appear
 * after a delay, so that a click that was meant for another page does not hit them.
 */
export function consentPage(view: ConsentView): string {
  return page(
    `Allow ${view.clientName}?`,
    `<p>You are signed in as <strong>${escapeHtml(view.email)}</strong>.</p>
${errorOf(view.error)}
${scopesText(view)}
<p>Afterwards you are sent to <strong>${escapeHtml(view.redirect.host)}</strong>.</p>
${warningOf(view)}
<form method="post">
${hiddenField('resume_state', view.resumeState)}
${hiddenField('csrf', view.csrf)}
${workspaceChoice(view)}
<div class="late">
<button type="submit" name="step" value="approve">Allow</button>
<button type="submit" name="step" value="deny">Refuse</button>
</div>
</form>`,
  );
}

/** Number of scopes that are shown; further ones are collapsed. */
const SCOPES_SHOWN = 20;

/** Describes a client's request as HTML. */
export function scopesText({
  clientName,
  resourceName,
  scopes,
}: Pick<ConsentView, 'clientName' | 'resourceName' | 'scopes'>): string {
  const list = `<ul>\n${scopes.map((scope) => `<li>${escapeHtml(scope)}</li>`).join('\n')}\n</ul>`;
  const named =
    scopes.length > SCOPES_SHOWN
      ? `<details>\n<summary>${String(scopes.length)} scopes, as far as you hold them</summary>\n${list}\n</details>`
      : list;
  return `<p>${escapeHtml(clientName)} asks for access to ${escapeHtml(resourceName)}, with these scopes:</p>\n${named}`;
}

/** Returns the form field for choosing the workspace in which the client may act. */
export function workspaceChoice({
  workspaces,
  wholeOrganisation,
}: Pick<ConsentView, 'workspaces' | 'wholeOrganisation'>): string {
  const whole = wholeOrganisation ? '<option value="">The whole organisation</option>' : '';
  const options = workspaces.map(
    ({ id, name }) => `<option value="${escapeHtml(id)}">${escapeHtml(name)}</option>`,
  );
  return `<label for="workspace_id">Workspace</label>
<select id="workspace_id" name="workspace_id">
${options.join('\n')}${whole}
</select>`;
}

function warningOf({ clientKind, clientHost, redirect }: ConsentView): string {
  const words: string[] = [];
  if (clientHost !== null)
    words.push(
      `This is the client of <strong>${escapeHtml(clientHost)}</strong>; the name is its own choice.`,
    );
  if (clientKind === 'dynamic')
    words.push(
      'This client has registered itself; its name was not checked. Trust the address, not the name.',
    );
  if (redirect.isLoopback)
    words.push('The address is on your own computer: any program that runs there could be the client.');
  return words.map((text) => `<p class="hint">${text}</p>`).join('\n');
}

/**
 * Returns a page that sends the browser to another site by a form, which SAML identity providers
 * may require. Without scripts, the user presses the button.
 */
export const postPage = (url: string, fields: SignInForm['fields']): string =>
  postingPage('Sign in', { url, fields, text: 'Go on to the sign-in of your company.' });

/**
 * Returns a page that sends the browser to the client. A redirect is not possible, since the form
 * policy would forbid the client's address.
 */
export const continuePage = (url: string): string =>
  page(
    'Done',
    `<p>You are being sent back. <a href="${escapeHtml(url)}">Continue</a></p>`,
    `<meta http-equiv="refresh" content="0; url=${escapeHtml(url)}">`,
  );
