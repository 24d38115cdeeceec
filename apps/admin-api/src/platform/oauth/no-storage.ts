import type { Adapter } from 'oidc-provider';

const none = (): Promise<undefined> => Promise.resolve(undefined);

/**
 * Storage of the protocol engine that stores and finds nothing. Storages of models override the
 * methods that they implement.
 */
export const NO_STORAGE: Adapter = {
  ...{ upsert: none, find: none, findByUserCode: none, findByUid: none },
  ...{ consume: none, destroy: none, revokeByGrantId: none },
};
