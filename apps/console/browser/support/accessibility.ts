import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/**
 * Returns the axe findings on the visible page, one for each element. The content security policy
 * of the page does not apply to the injected script.
 */
export async function findingsOf(page: Page): Promise<readonly string[]> {
  const findings = await page.evaluate<readonly Finding[]>(
    `(() => {
      ${AXE}
      return axe.run({ runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) => violations);
    })()`,
  );
  return findings.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => [id, html, failureSummary].join(' ')),
  );
}

/**
 * Returns the axe findings on the page in both themes. The page is in the light theme afterwards.
 */
export async function findingsInThemes(page: Page): Promise<readonly string[]> {
  const findings: string[] = [];
  for (const theme of ['dark', 'light'] as const) {
    await inTheme(page, theme);
    findings.push(...(await findingsOf(page)));
  }
  return findings;
}

/** Shows the page in a theme by emulating the colour scheme of the system. */
export async function inTheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
}
