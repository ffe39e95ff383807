/** Lets a loop sleep until it is woken. A wake that comes while it is busy is not lost: the next sleep ends at once. */
export class Signal {
  #pending = false;
  #resolve: (() => void) | null = null;

  wake(): void {
    this.#pending = true;
    this.#resolve?.();
  }

  /** Ends when woken, or after this long. */
  async sleep(milliseconds: number): Promise<void> {
    if (!this.#pending) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#resolve = resolve;
        timer = setTimeout(resolve, milliseconds);
      });
      clearTimeout(timer);
      this.#resolve = null;
    }
    this.#pending = false;
  }
}
