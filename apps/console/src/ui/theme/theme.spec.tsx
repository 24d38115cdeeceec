import { Button, useMantineColorScheme } from '@mantine/core';
import { act, render, screen } from '@testing-library/react';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReactElement } from 'react';
import { cssVariablesResolver, theme } from './theme';
import { ThemeProvider } from './theme-provider';

const tokens =
  readFileSync(join(__dirname, '../tokens.css'), 'utf8') +
  readFileSync(join(__dirname, '../base.css'), 'utf8');

describe('theme', () => {
  it('uses only existing tokens', () => {
    const resolved = cssVariablesResolver(theme as Parameters<typeof cssVariablesResolver>[0]);
    const text = JSON.stringify([theme, resolved]);
    const names = new Set([...text.matchAll(/var\((--[a-z0-9-]+)\)/g)].map(([, name]) => name ?? ''));
    expect(names.size).toBeGreaterThan(20);
    for (const name of names) expect(tokens).toContain(`${name}:`);
  });

  it('contains no colour literal', () => {
    const resolved = cssVariablesResolver(theme as Parameters<typeof cssVariablesResolver>[0]);
    expect(JSON.stringify([theme, resolved])).not.toMatch(/#[0-9a-f]{3,8}\b|rgba?\(/i);
  });
});

function Switcher(): ReactElement {
  const { setColorScheme } = useMantineColorScheme();
  return <Button onClick={() => setColorScheme('dark')}>Dark</Button>;
}

describe('ThemeProvider', () => {
  it('keeps the theme attribute of the tokens equal to that of Mantine', () => {
    render(
      <ThemeProvider defaultScheme="light" density="compact">
        <Switcher />
      </ThemeProvider>,
    );
    const { dataset } = document.documentElement;
    expect([dataset['theme'], dataset['mantineColorScheme'], dataset['density']]).toEqual([
      'light',
      'light',
      'compact',
    ]);
    act(() => screen.getByRole('button').click());
    expect([dataset['theme'], dataset['mantineColorScheme']]).toEqual(['dark', 'dark']);
  });
});
