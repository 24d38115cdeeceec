import { SCOPES } from '@gw/auth-scopes';
import * as client from 'openid-client';
import type { Output } from '../commands';
import { browserLogin } from './browser-login';
import { LoginStore, type Login } from './login-store';
import { discover, loginOf, reasonOf, resourceOf } from './oauth-client';

export interface LoginCall {
  /** Address of the control plane, without a slash at its end. */
  readonly url: string;
  readonly output: Output;
  readonly environment: NodeJS.ProcessEnv;
  readonly options: { readonly scopes?: string; readonly device?: boolean };
  readonly signal: AbortSignal;
}

/**
 * How long before its expiry a token is renewed, in milliseconds, so that it does not expire in
 * transit.
 */
const EARLY_MS = 60_000;

/**
 * Logs a user in with the browser, or with `--device` by a code that the user enters on another
 * device.
 */
export async function loginCommand(call: LoginCall): Promise<number> {
  const { url, output, environment, options, signal } = call;
  const store = LoginStore.of(environment);
  const config = await discover(url);
  const scope = (options.scopes ?? SCOPES.join(',')).split(',').join(' ');
  let earlier: Login | null;
  try {
    const asking = { config, scope, output, signal };
    const tokens = await (options.device === true ? deviceLogin(asking) : browserLogin(asking));
    const login = loginOf(tokens, null);
    earlier = await store.get(url);
    await store.change(url, () => Promise.resolve(login));
  } catch (error) {
    throw new Error(`The login failed: ${reasonOf(error)}`, { cause: error });
  }
  output.out(`Logged in at ${url}.\n`);
  await endOf(url, earlier, 'End the earlier login in your account there.');
  return 0;
}

/** Ends the login at the control plane and deletes it on this machine. */
export async function logoutCommand({ url, output, environment }: LoginCall): Promise<number> {
  const store = LoginStore.of(environment);
  const login = await store.get(url);
  if (login === null) {
    output.out(`There is no login at ${url}.\n`);
    return 0;
  }
  await endOf(url, login, `The login is still in ${store.path}, so that you can try again.`);
  await store.change(url, () => Promise.resolve(null));
  output.out(`Logged out of ${url}.\n`);
  return 0;
}

/** Returns the access token of a login, renewed shortly before its expiry; null without a login. */
export async function accessToken(url: string, environment: NodeJS.ProcessEnv): Promise<string | null> {
  const store = LoginStore.of(environment);
  const login = await store.get(url);
  if (login === null || isFresh(login)) return login?.accessToken ?? null;
  const renewed = await store.change(url, async (now) => {
    if (now === null || isFresh(now)) return now;
    return renew(url, now);
  });
  return renewed?.accessToken ?? null;
}

const isFresh = ({ expiresAt }: Login): boolean => expiresAt - EARLY_MS > Date.now();

async function renew(url: string, login: Login): Promise<Login> {
  const config = await discover(url);
  try {
    if (login.refreshToken === null) throw new Error('it cannot be renewed');
    return loginOf(await client.refreshTokenGrant(config, login.refreshToken), login);
  } catch (error) {
    throw new Error(`The login at ${url} has ended: ${reasonOf(error)}. Run tollgate login.`, {
      cause: error,
    });
  }
}

/**
 * Ends a grant at the control plane. The refresh token names it, and its access tokens end with it.
 */
async function endOf(url: string, login: Login | null, advice: string): Promise<void> {
  if (login === null) return;
  try {
    await client.tokenRevocation(await discover(url), login.refreshToken ?? login.accessToken);
  } catch (error) {
    throw new Error(`${url} did not end a login: ${reasonOf(error)}. ${advice}`, { cause: error });
  }
}

async function deviceLogin({
  config,
  scope,
  output,
  signal,
}: Parameters<typeof browserLogin>[0]): Promise<client.TokenEndpointResponse> {
  const device = await client.initiateDeviceAuthorization(config, { scope, resource: resourceOf(config) });
  output.err(`Open ${device.verification_uri} and type the code\n\n  ${device.user_code}\n\n`);
  return client.pollDeviceAuthorizationGrant(config, device, undefined, { signal });
}
