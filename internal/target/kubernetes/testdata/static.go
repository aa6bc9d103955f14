// Command static does nothing, without libraries of the system.
package main

func main() {}
