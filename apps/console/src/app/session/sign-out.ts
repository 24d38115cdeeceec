import { call, problemFrom } from '../../api';
import { forgetSession, leave, loadAnew } from './leave';
import { notifyTabs } from './tabs';

/**
 * Ends the session in this tab and in the other tabs of the browser, and at the identity provider
 * that opened it, where the provider has an address for that. Rejects, and changes nothing, when the
 * API could not end it.
 */
export async function signOut(): Promise<void> {
  const providerUrl = await endSession();
  notifyTabs(null);
  if (providerUrl === null) return loadAnew('login');
  forgetSession();
  leave.to(providerUrl);
}

/**
 * Returns the address at which the browser signs out of the identity provider; null when there is
 * none or the session has ended before.
 */
async function endSession(): Promise<string | null> {
  try {
    return (await call('auth_logout', {})).data.logout_url;
  } catch (error) {
    if (problemFrom(error).status === 401) return null;
    throw error;
  }
}
