import { spawn, spawnSync } from "node:child_process";

/** What a person would do: wait for words on the screen, then type. */
export interface Step {
  readonly on: string;
  readonly type: string;
}

/** How a command ended, and everything the terminal showed: stdout and stderr as one. */
export interface Shown {
  readonly code: number | null;
  readonly screen: string;
}

const has = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

const canScript = has("script", "-qec", "true", "/dev/null");
const canPython = !canScript && has("python3", "-c", "import pty");

/** Why tests cannot run in a terminal here; undefined when they can. */
export const noTerminal: string | undefined =
  canScript || canPython ? undefined : "no pseudo-terminal: neither script (util-linux) nor python3 is here";

if (noTerminal !== undefined) {
  if (process.env["CI"] !== undefined) throw new Error(noTerminal);
  console.warn(`Tests in a terminal are skipped: ${noTerminal}.`);
}

const PYTHON = `import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(["sh", "-c", sys.argv[1]])))`;

/** Runs a shell command in a pseudo-terminal of `columns` columns and takes the steps as their words appear. */
export function runInTerminal(
  command: string,
  options: {
    readonly cwd: string;
    readonly env: NodeJS.ProcessEnv;
    readonly columns?: number;
    readonly steps?: readonly Step[];
  },
): Promise<Shown> {
  const { cwd, env, columns = 100, steps = [] } = options;
  // Without `exec`, some shells stay, and Ctrl-C kills them: their end would be taken for that of the command.
  const sized = `stty cols ${columns} rows 40; exec ${command}`;
  const [program, args] = canScript ? ["script", ["-qec", sized, "/dev/null"]] : ["python3", ["-c", PYTHON, sized]];
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: { ...env, TERM: "xterm" } });
    let screen = "";
    const onScreen = typeAt(steps, (text) => child.stdin.write(text));
    child.stdout.setEncoding("utf8").on("data", (text: string) => onScreen((screen += text)));
    child.on("error", reject);
    child.on("close", (code) => {
      resolve({ code, screen: screen.replaceAll("\r\n", "\n") });
    });
  });
}

/** Takes the steps: to be called with all that the screen has shown, whenever there is more. */
export function typeAt(steps: readonly Step[], type: (text: string) => void): (screen: string) => void {
  const waiting = [...steps];
  let seen = 0;
  return (screen) => {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const at = screen.indexOf(next.on, seen);
      if (at === -1) return;
      seen = at + next.on.length;
      waiting.shift();
      type(next.type);
    }
  };
}
