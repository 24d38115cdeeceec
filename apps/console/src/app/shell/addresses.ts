import { useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';

/** The address of a page in a workspace. */
export const inWorkspace = (to: string, ws: string): string => to.replace('$ws', encodeURIComponent(ws));

/** Removes the trailing slash of a base such as `/console/`, because addresses begin with one. */
export const withoutSlash = (basepath: string): string => basepath.replace(/\/$/, '');

/**
 * Returns a function that navigates to an address below the console's base, such as
 * `/w/search/logs?log=01a2`.
 */
export function useGoTo(): (address: string) => void {
  const router = useRouter();
  return useCallback(
    (address) => {
      router.history.push(withoutSlash(router.basepath) + address);
    },
    [router],
  );
}
