import { call } from '../../api';
import { loadAnew } from './leave';
import { notifyTabs } from './tabs';

/** Ends the session in this tab and in the other tabs of the browser. */
export async function signOut(): Promise<void> {
  await call('auth_logout', {}).catch(() => undefined);
  notifyTabs(null);
  loadAnew('login');
}
