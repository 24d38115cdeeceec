import { render, type RenderResult } from '@testing-library/react';
import type { ReactElement, ReactNode } from 'react';
import { FormatProvider } from '../primitives/format-context';
import { ThemeProvider } from '../theme/theme-provider';

function Providers({ children }: { readonly children: ReactNode }): ReactElement {
  return (
    <ThemeProvider defaultScheme="light" env="test">
      <FormatProvider zone="UTC">{children}</FormatProvider>
    </ThemeProvider>
  );
}

/** Renders a node within the theme, without transitions and with times in UTC. */
export const renderUi = (node: ReactNode): RenderResult => render(node, { wrapper: Providers });
