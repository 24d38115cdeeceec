import {
  localStorageColorSchemeManager,
  MantineProvider,
  useComputedColorScheme,
  type MantineColorScheme,
} from '@mantine/core';
import { useLayoutEffect, type ReactElement, type ReactNode } from 'react';
import { cssVariablesResolver, theme } from './theme';

/** `comfortable` is the default; `compact` takes 4 px from rows. */
export type Density = 'comfortable' | 'compact';

const colorSchemeManager = localStorageColorSchemeManager({ key: 'tollgate-theme' });

export interface ThemeProviderProps {
  readonly children: ReactNode;
  readonly density?: Density;
  /** Nonce of the page's content security policy, for the styles that Mantine adds. */
  readonly nonce?: string;
  /** For tests and pictures: overrides the stored theme. */
  readonly scheme?: 'light' | 'dark';
  readonly defaultScheme?: MantineColorScheme;
  /** `test`: no transitions. */
  readonly env?: 'default' | 'test';
}

/** Mantine with the console's theme. Keeps `data-theme` and `data-density` of the document up to date. */
export function ThemeProvider({
  children,
  density = 'comfortable',
  nonce,
  scheme,
  defaultScheme = 'auto',
  env = 'default',
}: ThemeProviderProps): ReactElement {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme={defaultScheme}
      env={env}
      {...(scheme === undefined ? {} : { forceColorScheme: scheme })}
      {...(nonce === undefined ? {} : { getStyleNonce: () => nonce })}
    >
      <DocumentAttributes density={density} />
      {children}
    </MantineProvider>
  );
}

function DocumentAttributes({ density }: { readonly density: Density }): null {
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  useLayoutEffect(() => {
    document.documentElement.dataset['theme'] = scheme;
    document.documentElement.dataset['density'] = density;
  }, [scheme, density]);
  return null;
}
