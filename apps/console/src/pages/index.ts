import type { PageEntry } from '../app/page-entry';
import { auditEntry } from './audit/entry';
import { auditRoute } from './audit/route';
import { connectEntry } from './connect/entry';
import { connectClientRoute, connectRoute, tourRoute } from './connect/route';
import { homeEntry } from './home/entry';
import { homeRoute } from './home/route';
import { keysEntry } from './keys/entry';
import { keyRoute, keysRoute, newKeyRoute } from './keys/route';
import { logsEntry } from './logs/entry';
import { logRoute, logsRoute } from './logs/route';
import { factorsRoute, ownKeysRoute, preferencesRoute, profileRoute } from './me/route';
import { modelsEntry } from './models/entry';
import { modelsRoute } from './models/route';
import { playgroundEntry } from './playground/entry';
import { playgroundRoute } from './playground/route';
import { providersEntry } from './providers/entry';
import { newProviderRoute, providerRoute, providersRoute } from './providers/route';

/** Routes below `/w/:ws`. */
export const WORKSPACE_PAGES = [
  homeRoute,
  connectRoute,
  tourRoute,
  connectClientRoute,
  logsRoute,
  logRoute,
  playgroundRoute,
  keysRoute,
  newKeyRoute,
  keyRoute,
  providersRoute,
  newProviderRoute,
  providerRoute,
  modelsRoute,
] as const;

/** Routes below `/org`. */
export const ORGANISATION_PAGES = [auditRoute] as const;

/** Routes below `/me`. */
export const ME_PAGES = [profileRoute, factorsRoute, ownKeysRoute, preferencesRoute] as const;

/** Pages of the navigation, in its order. */
export const PAGES: readonly PageEntry[] = [
  homeEntry,
  connectEntry,
  logsEntry,
  playgroundEntry,
  keysEntry,
  providersEntry,
  modelsEntry,
  auditEntry,
];
