import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { FormatProvider } from '../ui/primitives';
import { ThemeProvider } from '../ui/theme/theme-provider';
import { makeQueryClient } from './queries';
import { makeRouter } from './router';
import { takeFirstFacts } from './session/first-facts';
import { usePreferences, useZone } from './state/preferences';

interface ConsoleProps {
  /** Path below which the console is served, such as `/console`. */
  readonly basepath: string;
  /** Nonce of the content security policy, for styles that the console adds at run time. */
  readonly nonce: string;
}

export function Console({ basepath, nonce }: ConsoleProps): ReactElement {
  const [{ queries, router }] = useState(() => {
    const made = makeQueryClient();
    const facts = takeFirstFacts(made);
    return { queries: made, router: makeRouter(basepath, { queries: made, facts }) };
  });
  const { density } = usePreferences();
  const zone = useZone();
  return (
    <ThemeProvider nonce={nonce} density={density}>
      <FormatProvider zone={zone}>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </FormatProvider>
    </ThemeProvider>
  );
}
