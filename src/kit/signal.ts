/** Lets a loop sleep until it is woken. A wake that comes while it is busy is not lost: the next sleep ends at once. */
export interface Signal {
  wake(): void;
  /** Ends when woken, or after this long. */
  sleep(milliseconds: number): Promise<void>;
}

export function createSignal(): Signal {
  let pending = false;
  let end: (() => void) | null = null;
  return {
    wake() {
      pending = true;
      end?.();
    },
    async sleep(milliseconds) {
      if (!pending) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          end = resolve;
          timer = setTimeout(resolve, milliseconds);
        });
        clearTimeout(timer);
        end = null;
      }
      pending = false;
    },
  };
}
