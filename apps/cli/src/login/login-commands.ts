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

/** A token is renewed this long before its end, so that it does not end on its way. */
const EARLY_MS = 60_000;

/** Logs a user in by the browser, or with `--device` by a code that is typed on another screen. */
export async function loginCommand(call: LoginCall): Promise<number> {
  const { url, output, environment, options, signal } = call;
  const store = LoginStore.of(environment);
  const config = await discover(url);
  const scope = (options.scopes ?? SCOPES.join(',')).split(',').join(' ');
  try {
    const asking = { config, scope, output, signal };
    const tokens = await (options.device === true ? deviceLogin(asking) : browserLogin(asking));
    const login = loginOf(tokens, null);
    await endOf(config, await store.get(url));
    await store.change(url, () => Promise.resolve(login));
  } catch (error) {
    throw new Error(`The login failed: ${reasonOf(error)}`, { cause: error });
  }
  output.out(`Logged in at ${url}.\n`);
  return 0;
}

/** Ends the login at the control plane and here. */
export async function logoutCommand({ url, output, environment }: LoginCall): Promise<number> {
  const store = LoginStore.of(environment);
  const login = await store.get(url);
  if (login === null) {
    output.out(`There is no login at ${url}.\n`);
    return 0;
  }
  await store.change(url, () => Promise.resolve(null));
  await endOf(await discover(url), login);
  output.out(`Logged out of ${url}.\n`);
  return 0;
}

/** The access token of a login, renewed when it is about to end; null without a login. */
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

/** The refresh token names the grant; the end of the grant ends its access tokens. */
async function endOf(config: client.Configuration, login: Login | null): Promise<void> {
  if (login !== null) await client.tokenRevocation(config, login.refreshToken ?? login.accessToken);
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
