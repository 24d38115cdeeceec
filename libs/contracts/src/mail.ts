/** What a mail says, before it is laid out as text and as HTML. Nothing of it is markup. */
export interface MailMessage {
  /** One line of at most 200 characters. */
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** The one thing that the reader may do; null for a mail that only tells. */
  readonly action: { readonly label: string; readonly url: string } | null;
}
