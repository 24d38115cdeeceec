import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

/** Timeout of the start of the browser, and of each wait for a state of the page. */
const WAIT_MS = 90_000;

export interface ConsolePage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** URLs of all requests, in order. */
  readonly requests: readonly string[];
  /**
   * Violations of the content security policy, script errors, and console messages of type error.
   */
  readonly faults: readonly string[];
}

/** Name of the function that the page calls to report policy violations. */
const REPORT = 'tollgateTestReport';

/** Headless Chromium for the end-to-end tests of the console. */
export class ConsoleBrowser {
  private browser: Browser | null = null;

  async start(): Promise<void> {
    // Set by jest.e2e.cjs.
    const executablePath = process.env['CHROMIUM_PATH'];
    if (executablePath === undefined)
      throw new Error('The journeys of the console need a Chromium: set CHROMIUM_PATH, or install chromium.');
    this.browser = await chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-gpu'],
      timeout: WAIT_MS,
    });
  }

  async stop(): Promise<void> {
    await this.browser?.close();
  }

  /** Opens a page with its own storage and cookies. */
  async open(options: { readonly colorScheme?: 'light' | 'dark' } = {}): Promise<ConsolePage> {
    if (this.browser === null) throw new Error('The browser runs from beforeAll on.');
    const context = await this.browser.newContext({
      viewport: { width: 1440, height: 900 },
      colorScheme: options.colorScheme ?? 'light',
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(WAIT_MS);
    const page = await context.newPage();
    const requests: string[] = [];
    const faults: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    await page.exposeFunction(REPORT, (text: string) => void faults.push(text));
    await page.addInitScript({
      content: `addEventListener('securitypolicyviolation', (event) =>
        ${REPORT}('policy: ' + event.violatedDirective + ' ' + event.blockedURI));`,
    });
    return { page, context, requests, faults };
  }
}

/** Extracts the console link from the output of a start. Throws when there is none. */
export function consoleLinkOf(printed: string): string {
  const [, link] = /^ *Console +(http\S+)/m.exec(printed) ?? [];
  if (link === undefined) throw new Error(`The start printed no link to the console:\n${printed}`);
  return link;
}
