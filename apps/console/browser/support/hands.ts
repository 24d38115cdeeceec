import type { Locator, Page } from 'playwright-core';

/** Maximum number of keys to move the focus to an element. */
const MOVES_MAX = 200;

/** Script that counts mouse events, to prove that a test uses the keyboard only. */
const COUNT_MOUSE = `globalThis.tollgateMouseEvents = 0;
  for (const type of ['pointerdown', 'pointermove', 'mousedown', 'mousemove', 'wheel'])
    addEventListener(type, () => (globalThis.tollgateMouseEvents += 1), { capture: true });`;

/**
 * Members of an element that functions running in the page use. The TypeScript configuration of
 * these tests has no DOM types.
 */
interface PageElement {
  readonly tabIndex: number;
  readonly type?: string;
  readonly checked?: boolean;
  readonly ownerDocument: { readonly activeElement: PageElement | null };
  hasAttribute(name: string): boolean;
  matches(selector: string): boolean;
  closest(selector: string): PageElement | null;
  contains(other: PageElement | null): boolean;
}

/**
 * Whether Enter or Space would act on the element: it has the focus or is the active option of a
 * list. Runs in the page.
 */
const isReached = (element: PageElement): boolean =>
  element === element.ownerDocument.activeElement ||
  element.hasAttribute('data-combobox-selected') ||
  (element.type === 'radio' && element.checked === true);

/**
 * Returns the key that moves the focus towards the element: an arrow within lists, menus, tabs and
 * radios, else Tab. Runs in the page.
 */
function keyTowards(element: PageElement): string {
  const group = element.closest('[role=menu], [role=grid], [role=tablist], [role=radiogroup]');
  if (element.matches('[role=option]')) return 'ArrowDown';
  if (element.tabIndex >= 0 && element.type !== 'radio') return 'Tab';
  if (group?.contains(element.ownerDocument.activeElement) !== true) return 'Tab';
  return group.matches('[role=tablist]') ? 'ArrowRight' : 'ArrowDown';
}

/**
 * Performs user actions and counts them as steps: a click, a chord, or filling one field. "Ctrl K",
 * a text and Enter together are one step. Moving the focus is not a step.
 */
export abstract class Hands {
  private taken = 0;

  constructor(readonly page: Page) {}

  /** Steps since the last `begin`. */
  get steps(): number {
    return this.taken;
  }

  begin(): void {
    this.taken = 0;
  }

  /** Opens an address. */
  open(address: string): Promise<void> {
    return this.step(async () => void (await this.page.goto(address)));
  }

  /** Opens a page of the navigation. */
  abstract goTo(page: string, chord: string): Promise<void>;
  /** Activates a button, link, tab, row or menu item. */
  abstract press(target: Locator): Promise<void>;
  /** Triggers a button that has a shortcut: by click, or with `key`. */
  abstract act(target: Locator, key: string): Promise<void>;
  /** Ticks a box. */
  abstract tick(target: Locator): Promise<void>;
  /** Replaces the text of a field. */
  abstract fill(target: Locator, text: string): Promise<void>;
  /** Enters a text into the palette and opens its first hit. */
  abstract find(text: string): Promise<void>;

  /** Presses keys one after the other, such as `c k`, or together, such as `Control+Enter`. */
  chord(keys: string): Promise<void> {
    return this.step(async () => {
      for (const key of keys.split(' ')) await this.page.keyboard.press(key);
    });
  }

  protected async step(act: () => Promise<void>): Promise<void> {
    this.taken += 1;
    await act();
  }
}

/** User with a mouse, who uses the keyboard only to fill in fields. */
export class Mouse extends Hands {
  goTo(page: string): Promise<void> {
    const pages = this.page.getByRole('navigation', { name: 'Pages' });
    return this.press(pages.getByRole('link', { name: page }));
  }

  press(target: Locator): Promise<void> {
    return this.step(() => target.click());
  }

  act(target: Locator): Promise<void> {
    return this.press(target);
  }

  tick(target: Locator): Promise<void> {
    return this.step(() => target.check());
  }

  fill(target: Locator, text: string): Promise<void> {
    return this.step(() => target.fill(text));
  }

  find(text: string): Promise<void> {
    return this.step(async () => {
      await this.page.getByRole('button', { name: /Search/ }).click();
      await this.page.getByPlaceholder('Name, id, page').fill(text);
      await this.page.locator('[data-action]').first().click();
    });
  }
}

/** User with a keyboard only. */
export class Keyboard extends Hands {
  /** Starts to count mouse events. */
  async watch(): Promise<void> {
    await this.page.addInitScript({ content: COUNT_MOUSE });
  }

  /** Number of mouse events since the page was loaded. */
  mouseEvents(): Promise<number> {
    return this.page.evaluate<number>('globalThis.tollgateMouseEvents');
  }

  goTo(_page: string, chord: string): Promise<void> {
    return this.chord(chord);
  }

  press(target: Locator): Promise<void> {
    return this.step(async () => {
      await this.reach(target);
      await this.page.keyboard.press('Enter');
    });
  }

  act(_target: Locator, key: string): Promise<void> {
    return this.chord(key);
  }

  tick(target: Locator): Promise<void> {
    return this.step(async () => {
      await this.reach(target);
      await this.page.keyboard.press('Space');
    });
  }

  fill(target: Locator, text: string): Promise<void> {
    return this.step(async () => {
      await this.reach(target);
      await this.page.keyboard.press('Control+a');
      await this.page.keyboard.insertText(text);
    });
  }

  find(text: string): Promise<void> {
    return this.step(async () => {
      await this.page.keyboard.press('Control+k');
      const search = this.page.getByPlaceholder('Name, id, page');
      await search.waitFor();
      await this.reach(search);
      await this.page.keyboard.insertText(text);
      await this.page.locator('[data-action][data-selected]').waitFor();
      await this.page.keyboard.press('Enter');
    });
  }

  private async reach(target: Locator): Promise<void> {
    await target.waitFor();
    for (let moves = 0; moves < MOVES_MAX; moves += 1) {
      if (await target.evaluate(isReached)) return;
      await this.page.keyboard.press(await target.evaluate(keyTowards));
    }
    throw new Error(`The keyboard does not reach ${String(target)}.`);
  }
}
