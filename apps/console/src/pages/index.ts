import type { PageEntry } from '../app/page-entry';
import { homeEntry } from './home/entry';
import { homeRoute } from './home/route';
import { logsEntry } from './logs/entry';
import { logRoute, logsRoute } from './logs/route';
import { keysEntry } from './keys/entry';
import { keyRoute, keysRoute, newKeyRoute } from './keys/route';

/** Routes below `/w/:ws`. */
export const WORKSPACE_PAGES = [homeRoute, logsRoute, logRoute, keysRoute, newKeyRoute, keyRoute] as const;

/** Routes below `/org`. */
export const ORGANISATION_PAGES = [] as const;

/** Routes below `/me`. */
export const ME_PAGES = [] as const;

/** Pages of the navigation, in its order. */
export const PAGES: readonly PageEntry[] = [homeEntry, logsEntry, keysEntry];
