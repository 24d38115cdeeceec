import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/**
 * Findings of axe on what the page shows, by element. The policy of the page does not bind the
 * script.
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

/** Findings of axe on the page as it is, in both themes, which ends in the light one. */
export async function findingsInThemes(page: Page): Promise<readonly string[]> {
  const findings: string[] = [];
  for (const theme of ['dark', 'light'] as const) {
    await inTheme(page, theme);
    findings.push(...(await findingsOf(page)));
  }
  return findings;
}

/** Shows the page in a theme, as the settings of the system say it. */
export async function inTheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
}
