import { call } from '../../api';
import { loadAnew } from './leave';
import { tellTabs } from './tabs';

/** Ends the session here and in the other tabs. */
export async function signOut(): Promise<void> {
  await call('auth_logout', {}).catch(() => undefined);
  tellTabs(null);
  loadAnew('login');
}
