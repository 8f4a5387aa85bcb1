export function exampleConfig(): Promise<string>;
