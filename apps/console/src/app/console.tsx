import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { makeQueryClient } from './queries';
import { makeRouter } from './router';

interface ConsoleProps {
  /** Path below which the console is served, such as `/console`. */
  readonly basepath: string;
  /** Of the content security policy, for styles that are made at run time. */
  readonly nonce: string;
}

export function Console({ basepath, nonce }: ConsoleProps): ReactElement {
  const [queries] = useState(makeQueryClient);
  const [router] = useState(() => makeRouter(basepath));
  return (
    <MantineProvider defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
