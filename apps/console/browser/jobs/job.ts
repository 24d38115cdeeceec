import type { Product, StubProvider } from '@gw/testing';
import type { Page } from 'playwright-core';
import type { Hands } from '../support/hands';

/**
 * Everything that a job works with: the product, a stub provider, the browser page and prepared
 * data.
 */
export interface Scene {
  readonly product: Product;
  readonly stub: StubProvider;
  readonly page: Page;
  /** Address of the workspace in the console. */
  readonly workspace: string;
  /** Error body of a request that the gateway refused, as the client received it. */
  readonly refused: string;
  /** Id of a request to which the second target responded. */
  readonly fallen: string;
  readonly key: { readonly id: string; readonly name: string; readonly secret: string };
}

/** A job that users do with the console, and the maximum number of steps that it may take. */
export interface Job {
  readonly number: number;
  readonly title: string;
  readonly steps: number;
  /** Returns the start address below the workspace; null when the job opens an address itself. */
  readonly from: ((scene: Scene) => string) | null;
  readonly run: (hands: Hands, scene: Scene) => Promise<void>;
  /** Waits for the result of the job and checks it. */
  readonly done: (scene: Scene) => Promise<void>;
}
