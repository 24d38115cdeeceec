import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CLI_CLIENT } from '@gw/oauth';
import * as client from 'openid-client';
import type { Output } from '../commands';
import { resourceOf } from './oauth-client';

/** Time limit for the user in milliseconds: the lifetime of a consent request. */
const PATIENCE_MS = 15 * 60_000;

const page = (text: string): string =>
  `<!doctype html><meta charset="utf-8"><title>Tollgate</title><p>${text} You may close this page.</p>`;

interface LoginRequest {
  readonly config: client.Configuration;
  readonly scope: string;
  readonly output: Output;
  readonly signal: AbortSignal;
}

/**
 * Sends the user's browser to the OAuth server, and receives its redirect on this machine (RFC
 * 8252).
 */
export async function browserLogin({
  config,
  scope,
  output,
  signal,
}: LoginRequest): Promise<client.TokenEndpointResponse> {
  const { hostname, pathname } = new URL(CLI_CLIENT.redirectUri);
  const verifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const server = createServer();
  const returned = new Promise<URL>((resolve, reject) => {
    server.on('request', (request, response) => {
      const url = new URL(request.url ?? '/', `http://${hostname}`);
      const isOurs = url.pathname === pathname && url.searchParams.get('state') === state;
      response.writeHead(isOurs ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' });
      response.end(page(isOurs ? 'Go back to your terminal.' : 'This address is for a login.'));
      if (isOurs) resolve(url);
    });
    const end = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
    const give = (): void => {
      reject(new Error('The login was not finished.'));
    };
    if (end.aborted) give();
    else end.addEventListener('abort', give);
    server.on('error', reject);
  });
  await Promise.race([new Promise<void>((resolve) => server.listen(0, hostname, resolve)), returned]);
  try {
    const redirectUri = `http://${hostname}:${String((server.address() as AddressInfo).port)}${pathname}`;
    const url = client.buildAuthorizationUrl(config, {
      ...{ redirect_uri: redirectUri, scope, state, resource: resourceOf(config) },
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    output.err(`Open this page to log in:\n\n  ${url.href}\n\n`);
    openBrowser(url.href);
    const back = await returned;
    const seen = new URL(redirectUri);
    seen.search = back.search;
    return await client.authorizationCodeGrant(config, seen, {
      pkceCodeVerifier: verifier,
      expectedState: state,
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Opens a page if the machine has a desktop; the address is printed in any case. */
function openBrowser(url: string): void {
  if (process.stderr.isTTY !== true) return;
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', url]
        : ['xdg-open', url];
  const child = spawn(command ?? '', args, { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
