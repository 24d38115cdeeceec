import { useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';

/** The address of a page in a workspace. */
export const inWorkspace = (to: string, ws: string): string => to.replace('$ws', encodeURIComponent(ws));

/** A base such as `/console/`, without the slash with which addresses begin. */
export const withoutSlash = (basepath: string): string => basepath.replace(/\/$/, '');

/** Goes to an address below the console's base, such as `/w/search/logs?log=01a2`. */
export function useGoTo(): (address: string) => void {
  const router = useRouter();
  return useCallback(
    (address) => {
      router.history.push(withoutSlash(router.basepath) + address);
    },
    [router],
  );
}
