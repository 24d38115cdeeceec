import {
  localStorageColorSchemeManager,
  MantineProvider,
  useComputedColorScheme,
  type MantineColorScheme,
} from '@mantine/core';
import { useLayoutEffect, type ReactElement, type ReactNode } from 'react';
import { cssVariablesResolver, theme } from './theme';

/** Row density: `comfortable` by default; `compact` makes rows 4 px lower. */
export type Density = 'comfortable' | 'compact';

const colorSchemeManager = localStorageColorSchemeManager({ key: 'tollgate-theme' });

export interface ThemeProviderProps {
  readonly children: ReactNode;
  readonly density?: Density;
  /** Nonce of the content security policy of the page, for the styles that Mantine adds. */
  readonly nonce?: string;
  /** Overrides the stored theme, for tests and screenshots. */
  readonly scheme?: 'light' | 'dark';
  readonly defaultScheme?: MantineColorScheme;
  /** `test` turns transitions off. */
  readonly env?: 'default' | 'test';
}

/**
 * Provides Mantine with the console's theme, and keeps `data-theme` and `data-density` of the
 * document up to date.
 */
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
