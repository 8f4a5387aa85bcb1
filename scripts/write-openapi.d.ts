export function openApiDocument(version: string): Promise<string>;
