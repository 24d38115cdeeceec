import { call } from '../../api';
import { loadAnew } from './leave';
import { tellTabs } from './tabs';

/** Ends the session in this tab and in the other tabs of the browser. */
export async function signOut(): Promise<void> {
  await call('auth_logout', {}).catch(() => undefined);
  tellTabs(null);
  loadAnew('login');
}
