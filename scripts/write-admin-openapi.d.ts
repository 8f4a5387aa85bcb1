export function adminOpenApi(version: string): Promise<string>;
