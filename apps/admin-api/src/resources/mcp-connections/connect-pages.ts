import { escapeHtml, hiddenFields, page } from '../../platform/auth/account-pages';

/** Contents of a link's page before the browser continues. */
export interface ConnectView {
  readonly serverName: string;
  readonly upstreamHost: string;
  readonly scopes: readonly string[];
  /** Host of the authorization server to which the browser goes. */
  readonly nextHost: string;
  readonly email: string;
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * Returns the page that shows to which server the user connects. Its button appears after a delay,
 * so that a click that was meant for another page does not hit it.
 */
export const connectPage = ({
  serverName,
  upstreamHost,
  scopes,
  nextHost,
  email,
  fields,
}: ConnectView): string =>
  page(
    `Connect ${serverName}?`,
    `<p>You are signed in as <strong>${escapeHtml(email)}</strong>.</p>
<p>Calls of yours to <strong>${escapeHtml(serverName)}</strong> will act as you at <strong>${escapeHtml(upstreamHost)}</strong>.</p>
${scopesOf(scopes)}
<p>You sign in at <strong>${escapeHtml(nextHost)}</strong>, and come back here afterwards.</p>
<p class="hint">Close this page if you did not start this connection.</p>
<form method="post">
${hiddenFields(fields)}
<div class="late">
<button type="submit" name="step" value="connect">Connect</button>
</div>
</form>`,
  );

/** Number of scopes that are shown; further ones are collapsed. */
const SCOPES_SHOWN = 20;

function scopesOf(scopes: readonly string[]): string {
  if (scopes.length === 0) return '<p>The server decides what the connection may do there.</p>';
  const list = `<ul>\n${scopes.map((scope) => `<li>${escapeHtml(scope)}</li>`).join('\n')}\n</ul>`;
  return scopes.length > SCOPES_SHOWN
    ? `<details>\n<summary>${String(scopes.length)} scopes</summary>\n${list}\n</details>`
    : `<p>The connection asks for these scopes:</p>\n${list}`;
}

export const connectedPage = (serverName: string): string =>
  page(
    'Connected',
    `<p>You are connected to <strong>${escapeHtml(serverName)}</strong>. You may close this page and repeat your call.</p>`,
  );
